// Package certtest makes certificates for tests of TLS. They are for the loopback addresses and short-lived. Nothing
// of TLS itself is here. Read New first.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificate is one for 127.0.0.1 and localhost that vouches for itself, for an hour.
type Certificate struct {
	Pair              tls.Certificate
	CertPEM, KeyPEM   []byte
	CertFile, KeyFile string
}

// New makes a certificate whose files end with the test.
func New(t testing.TB) *Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := &Certificate{
		CertPEM:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		KeyPEM:   pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
		CertFile: filepath.Join(dir, "server.crt"), KeyFile: filepath.Join(dir, "server.key"),
	}
	if c.Pair, err = tls.X509KeyPair(c.CertPEM, c.KeyPEM); err != nil {
		t.Fatal(err)
	}
	c.Write(t, c.CertFile, c.KeyFile)
	return c
}

// Write writes the files of the certificate elsewhere, too.
func (c *Certificate) Write(t testing.TB, certFile, keyFile string) {
	t.Helper()
	for file, content := range map[string][]byte{certFile: c.CertPEM, keyFile: c.KeyPEM} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Client is how a client connects that trusts the certificate.
func (c *Certificate) Client() *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.CertPEM)
	return &tls.Config{RootCAs: roots, ServerName: "localhost"}
}
