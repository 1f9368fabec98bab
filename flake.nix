{
  description = "The API server's verdict on Kubernetes resources, offline";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
      manifest = builtins.fromTOML (builtins.readFile ./Cargo.toml);
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "crdkit";
          version = manifest.workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "crdkit-cli" ];
          doCheck = false; # The tests run in CI; some of them start servers.
          meta.mainProgram = "crdkit";
        };
      });
      devShells = each (pkgs: { default = pkgs.mkShell { packages = [ pkgs.rustup pkgs.cmake ]; }; });
    };
}
