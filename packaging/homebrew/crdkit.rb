class Crdkit < Formula
  desc "API server's verdict on Kubernetes resources, offline"
  homepage "https://github.com/crdkit/crdkit"
  version "0.1.0"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/crdkit/crdkit/releases/download/v#{version}/crdkit-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.com/crdkit/crdkit/releases/download/v#{version}/crdkit-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/crdkit/crdkit/releases/download/v#{version}/crdkit-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "https://github.com/crdkit/crdkit/releases/download/v#{version}/crdkit-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "crdkit"
    generate_completions_from_executable(bin/"crdkit", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/crdkit --version")
  end
end
