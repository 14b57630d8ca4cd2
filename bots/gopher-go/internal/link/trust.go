package link

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// A distrustError says what is wrong with who answers, so that trying again does not help.
type distrustError string

func (e distrustError) Error() string { return string(e) }

// A guard is credentials that remember why who answered is not to be believed.
type guard struct {
	credentials.TransportCredentials
	found atomic.Pointer[distrustError] // nil where nothing is wrong
}

// guardOf splits an address, HOST:PORT, HOST:PORT/sha256:HEX or HOST:PORT/tls,
// into where to dial and who is believed there: whoever answers, without TLS;
// one certificate; or whom the system trusts.
func guardOf(address string) (string, *guard, error) {
	place, trust, secret := strings.Cut(address, "/")
	_, port, err := net.SplitHostPort(place)
	scheme, fingerprint, _ := strings.Cut(trust, ":")
	pin, hexError := hex.DecodeString(fingerprint)
	switch {
	case err != nil || port == "" || hexError != nil:
	case !secret:
		return place, &guard{TransportCredentials: insecure.NewCredentials()}, nil
	case trust == "tls":
		return place, &guard{TransportCredentials: credentials.NewTLS(&tls.Config{})}, nil
	case scheme == "sha256" && len(pin) == sha256.Size:
		config := &tls.Config{
			InsecureSkipVerify: true, // who signed it and its name do not matter: it is the one
			VerifyConnection: func(state tls.ConnectionState) error {
				return compare(state.PeerCertificates[0], [sha256.Size]byte(pin))
			},
		}
		return place, &guard{TransportCredentials: credentials.NewTLS(config)}, nil
	}
	return "", nil, fmt.Errorf("%s is no address: write --join HOST:PORT, HOST:PORT/sha256:FINGERPRINT or HOST:PORT/tls", address)
}

func compare(shown *x509.Certificate, pin [sha256.Size]byte) error {
	if found := sha256.Sum256(shown.Raw); found != pin {
		return distrustError(fmt.Sprintf("shows another certificate (sha256:%x) than the address says: ask the host", found))
	}
	if time.Now().After(shown.NotAfter) {
		return distrustError("shows a certificate that has expired: ask the host for a new address")
	}
	return nil
}

// ClientHandshake begins TLS.
func (g *guard) ClientHandshake(ctx context.Context, authority string, line net.Conn) (net.Conn, credentials.AuthInfo, error) {
	connection, info, err := g.TransportCredentials.ClientHandshake(ctx, authority, line)
	if distrust := distrustIn(err); distrust != "" {
		g.found.Store(&distrust)
	}
	return connection, info, err
}

// distrustIn is what an error of a handshake says of who answered, empty where
// it may be well the next time.
func distrustIn(err error) distrustError {
	if distrust, ok := errors.AsType[distrustError](err); ok {
		return distrust
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "does not speak TLS: ask the host for the present address"
	}
	if unknown, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return distrustError(fmt.Sprintf("shows a certificate that cannot be trusted (%v): dial it by the address that ends in its fingerprint", unknown.Err))
	}
	return ""
}
