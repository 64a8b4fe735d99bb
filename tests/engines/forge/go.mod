// A Git server on loopback, of nothing but Go's standard library.
module kubectl-ucp/engines/forge

go 1.26.0
