//! Text rules shared by the layers above: Go regular expressions, quoting, numbers, names.
