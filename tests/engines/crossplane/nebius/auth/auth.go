// Package auth has the types that provider-kubernetes hands to gosdk.
package auth

// BearerToken of an HTTP request.
type BearerToken struct{ Token string }

// PrivateKeyParser of a service account's key.
type PrivateKeyParser struct{}

// NewPrivateKeyParser of a key, its ID, and its service account's.
func NewPrivateKeyParser([]byte, string, string) PrivateKeyParser { return PrivateKeyParser{} }
