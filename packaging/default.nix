# kubectl ucp from this source: nix-build packaging
{ pkgs ? import <nixpkgs> { } }:
let
  toml = pkgs.lib.importTOML ../Cargo.toml;
  manifest = toml.package // toml.workspace.package;
in
pkgs.rustPlatform.buildRustPackage {
  pname = manifest.name;
  inherit (manifest) version;
  # What cargo built in this checkout is no source.
  src = pkgs.lib.cleanSourceWith {
    src = pkgs.lib.cleanSource ../.;
    filter = path: type: path != toString ../target;
  };
  cargoLock.lockFile = ../Cargo.lock;
  nativeBuildInputs = [ pkgs.installShellFiles ];
  # One build for the program and for what writes its man pages and completion scripts.
  cargoBuildFlags = [ "--bins" "--example" "package" ];
  # The tests start API servers, which they build with Go and a network.
  doCheck = false;
  postInstall = ''
    install -m 755 plugins/kubectl_complete-ucp $out/bin/
    $releaseDir/examples/package package
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
