// Package gosdk has the names that provider-kubernetes uses, and nothing behind them.
package gosdk

import (
	"context"
	"errors"

	"github.com/nebius/gosdk/auth"
)

// SDK signs in to nothing.
type SDK struct{}

// Option of New.
type Option struct{}

// Credentials of WithCredentials.
type Credentials struct{}

// New fails: there is nothing to sign in to.
func New(context.Context, ...Option) (*SDK, error) {
	return nil, errors.New("this build cannot sign in to Nebius")
}

// WithCredentials is an Option.
func WithCredentials(Credentials) Option { return Option{} }

// ServiceAccountReader makes Credentials of a key.
func ServiceAccountReader(auth.PrivateKeyParser) Credentials { return Credentials{} }

// BearerToken is empty.
func (*SDK) BearerToken(context.Context) (auth.BearerToken, error) { return auth.BearerToken{}, nil }
