# kubectl ucp from this source: nix-build packaging
{ pkgs ? import <nixpkgs> { } }:
let
  toml = pkgs.lib.importTOML ../Cargo.toml;
  manifest = toml.package // toml.workspace.package;
in
pkgs.rustPlatform.buildRustPackage {
  pname = manifest.name;
  inherit (manifest) version;
  src = pkgs.lib.cleanSource ../.;
  cargoLock.lockFile = ../Cargo.lock;
  nativeBuildInputs = [ pkgs.installShellFiles ];
  # The tests start API servers, which they build with Go and a network.
  doCheck = false;
  postInstall = ''
    install -m 755 plugins/kubectl_complete-ucp $out/bin/
    cargo run --offline --release --example package -- package
    installManPage package/man/*.1
    installShellCompletion --cmd kubectl-ucp \
      --bash package/completions/kubectl-ucp.bash \
      --zsh package/completions/_kubectl-ucp \
      --fish package/completions/kubectl-ucp.fish
  '';
  meta = {
    inherit (manifest) description homepage;
    license = pkgs.lib.licenses.asl20;
    mainProgram = manifest.name;
  };
}
