package wire

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

// minted is a certificate for 127.0.0.1 and localhost that vouches for itself.
type minted struct {
	pair      tls.Certificate
	cert, key []byte // as PEM
	file      string // with the certificate
}

func mint(t testing.TB) *minted {
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
	m := &minted{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
		file: filepath.Join(t.TempDir(), "root.crt"),
	}
	if m.pair, err = tls.X509KeyPair(m.cert, m.key); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.file, m.cert, 0o600); err != nil {
		t.Fatal(err)
	}
	return m
}

// options are those of a server with the certificate.
func (m *minted) options() Options {
	o := quiet()
	o.Certificate = func() *tls.Certificate { return &m.pair }
	return o
}

// trusting is how a client connects that knows the certificate.
func (m *minted) trusting() *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(m.cert)
	return &tls.Config{RootCAs: roots, ServerName: "localhost"}
}
