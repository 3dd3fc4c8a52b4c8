package wire

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"sync/atomic"

	"github.com/xdg-go/scram"

	"zproxy/sqlerr"
)

// recordHandshake is the first byte of a client that begins with TLS. No startup packet
// begins with it.
const recordHandshake = 0x16

// protocolName is what a client that begins with TLS must ask for, so that bytes meant for
// a server of another protocol are not taken for PostgreSQL's.
const protocolName = "postgresql"

// ciphers hands out what TLS needs of the present certificate.
type ciphers struct {
	certificate func() *tls.Certificate // nil: there is no TLS
	last        atomic.Pointer[cipher]
}

// cipher is how to encrypt with one certificate.
type cipher struct {
	certificate *tls.Certificate
	config      *tls.Config
	binding     []byte // of SCRAM-SHA-256-PLUS; nil: the certificate allows none
}

// present is the cipher of the certificate that is good now.
func (c *ciphers) present() *cipher {
	certificate := c.certificate()
	if last := c.last.Load(); last != nil && last.certificate == certificate {
		return last
	}
	made := &cipher{
		certificate: certificate,
		config: &tls.Config{
			Certificates:           []tls.Certificate{*certificate},
			MinVersion:             tls.VersionTLS12,
			NextProtos:             []string{protocolName},
			SessionTicketsDisabled: true,
		},
		binding: endpointBinding(certificate),
	}
	c.last.Store(made)
	return made
}

// endpointBinding is the hash of a certificate that RFC 5929 calls tls-server-end-point.
func endpointBinding(certificate *tls.Certificate) []byte {
	if certificate.Leaf == nil {
		return nil
	}
	seen := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{certificate.Leaf}}
	binding, err := scram.NewTLSServerEndpointBinding(seen) // an error: it is not defined for the signature
	if err != nil {
		return nil
	}
	return binding.Data
}

// encrypts says whether the server speaks TLS.
func (s *Server) encrypts() bool { return s.ciphers.certificate != nil }

// encrypt accepts a request for TLS and begins it. The reader of packets has taken no byte
// beyond the request, so what was sent behind it without a cipher fails the handshake and
// is never taken for the client's.
func (o *opening) encrypt() error {
	if err := o.sendByte('S'); err != nil {
		return err
	}
	_, err := o.handshake(o.net)
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		return violation("received unencrypted data after SSL request").WithDetail("%s",
			"This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.")
	}
	return err
}

// encryptAtOnce begins the TLS of a client that did not ask. Its first bytes have been
// read.
func (o *opening) encryptAtOnce(read []byte) error {
	state, err := o.handshake(&replayed{Conn: o.net, r: io.MultiReader(bytes.NewReader(read), o.net)})
	if err == nil && state.NegotiatedProtocol != protocolName {
		return errors.New("direct TLS without ALPN")
	}
	return err
}

// handshake replaces the stream by TLS.
func (o *opening) handshake(nc net.Conn) (tls.ConnectionState, error) {
	cipher := o.server.ciphers.present()
	secure := tls.Server(nc, cipher.config)
	if err := secure.Handshake(); err != nil {
		return tls.ConnectionState{}, err
	}
	o.stream, o.out.conn, o.binding, o.encrypted = secure, secure, cipher.binding, true
	return secure.ConnectionState(), nil
}

// replayed is a connection some of whose bytes have been read before.
type replayed struct {
	net.Conn
	r io.Reader
}

// Read implements io.Reader.
func (r *replayed) Read(p []byte) (int, error) { return r.r.Read(p) }

// requireTLS refuses a client without TLS when the server wants it, before anything of
// value is said.
func (o *opening) requireTLS() error {
	if !o.server.o.RequireTLS || o.encrypted {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidAuthorization, "connections without TLS are not accepted").
		WithHint("Connect with sslmode=require, or with sslmode=verify-full to verify the server, too.")
}
