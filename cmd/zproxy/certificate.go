package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is that of the server, in two files that are read again when they have
// changed, so that a new one needs no restart.
type certificate struct {
	files [2]string // of the certificates and of the key
	log   *slog.Logger

	mu      sync.Mutex
	read    [2]stamp
	present *tls.Certificate
}

// stamp tells one state of a file from another.
type stamp struct {
	modified time.Time
	size     int64
}

// openCertificate wants both files or none, and answers with nil without them.
func openCertificate(o *options, log *slog.Logger) (func() *tls.Certificate, error) {
	switch {
	case o.tlsCert == "" && o.tlsKey == "":
		if o.tlsRequire {
			return nil, errors.New("--tls-require needs --tls-cert and --tls-key")
		}
		return nil, nil
	case o.tlsCert == "" || o.tlsKey == "":
		return nil, errors.New("--tls-cert and --tls-key belong together")
	}
	c := &certificate{files: [2]string{o.tlsCert, o.tlsKey}, log: log}
	stamps, err := c.stamps()
	if err == nil {
		err = c.load(stamps)
	}
	if err != nil {
		return nil, fmt.Errorf("the certificate of TLS: %w", err)
	}
	return c.get, nil
}

// get is the certificate that is good now. While the files are wrong, such as between the
// writing of the one and of the other, it is the last good one.
func (c *certificate) get() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	stamps, err := c.stamps()
	if err != nil || stamps == c.read {
		return c.present
	}
	if err := c.load(stamps); err != nil {
		c.log.Warn("the certificate of TLS cannot be read again; the last one stays", "error", err)
	} else {
		c.log.Info("the certificate of TLS has changed", "file", c.files[0])
	}
	return c.present
}

func (c *certificate) stamps() (out [2]stamp, err error) {
	for i, file := range c.files {
		info, err := os.Stat(file)
		if err != nil {
			return out, err
		}
		out[i] = stamp{info.ModTime(), info.Size()}
	}
	return out, nil
}

func (c *certificate) load(stamps [2]stamp) error {
	c.read = stamps
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return err
	}
	c.present = &pair
	return nil
}
