// Stands in for a module that Go's proxy does not serve: what provider-kubernetes compiles against when it signs in to
// Nebius, which no scenario does.
module github.com/nebius/gosdk

go 1.26.0
