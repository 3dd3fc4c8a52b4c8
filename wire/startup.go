package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/session"
	"zproxy/sqlerr"
)

// What the first four bytes of a startup packet mean.
const (
	codeCancel = 1234<<16 | 5678
	codeSSL    = 1234<<16 | 5679
	codeGSS    = 1234<<16 | 5680

	protocolMajor  = 3
	protocolLatest = protocolMajor<<16 | 2
)

const (
	minStartup = 8
	maxStartup = 10_000
)

// errNotPostgres is for bytes that are no startup packet: no answer would be understood.
var errNotPostgres = errors.New("invalid length of startup packet")

// opening is a connection that has no session yet: it may be encrypted, and its client shows who it is.
type opening struct {
	server *Server
	*socket
	out      *output
	stopping context.Context
}

// startup reads packets until one begins a session, and begins it. False without an
// error means that the client wanted something else, which has been done. One deadline is
// over all of it, so that no client can hold the connection by being slow.
func (c *conn) startup() (bool, error) {
	c.readUntil(time.Now().Add(c.server.o.StartupTimeout))
	o := &opening{c.server, &c.socket, c.out, c.stopping}
	code, body, err := o.firstPacket()
	if err != nil {
		return false, c.readError(err)
	}
	if code == codeCancel {
		c.server.cancel(c.client, body)
		return false, nil
	}
	if err := c.begin(o, code, body); err != nil {
		return false, c.readError(err)
	}
	c.in = newFrames(c.stream, c.server.o.MaxMessage)
	c.answers = answers{session: c.session, in: c.in, out: c.out, readError: c.readError}
	c.pipeline = pipeline{session: c.session, in: c.in, out: c.out, answers: &c.answers}
	c.readUntil(time.Time{})
	return true, nil
}

// firstPacket answers requests for encryption, each kind once, and returns the packet
// that is none. It reads not a byte beyond: what follows may be in another cipher.
func (o *opening) firstPacket() (code uint32, body []byte, err error) {
	var seen []uint32
	for {
		var size [4]byte
		if _, err := io.ReadFull(o.stream, size[:]); err != nil {
			return 0, nil, err
		}
		if size[0] == recordHandshake && seen == nil && o.server.encrypts() {
			if err := o.encryptAtOnce(size[:]); err != nil {
				return 0, nil, err
			}
			seen = []uint32{codeSSL, codeGSS}
			continue
		}
		code, body, err = readPacket(o.stream, size)
		if err != nil || code != codeSSL && code != codeGSS {
			return code, body, err
		}
		if slices.Contains(seen, code) {
			return 0, nil, violation("unsupported frontend protocol %d.%d: server supports 3.0 to 3.2",
				code>>16, code&0xffff)
		}
		seen = append(seen, code)
		if code == codeSSL && o.server.encrypts() {
			seen = append(seen, codeGSS) // one cipher is enough
			err = o.encrypt()
		} else {
			err = o.sendByte('N')
		}
		if err != nil {
			return 0, nil, err
		}
	}
}

// sendByte answers a request for encryption.
func (o *opening) sendByte(b byte) error {
	o.out.buf = append(o.out.buf, b)
	return o.out.flush()
}

// readPacket reads what follows the size of a packet.
func readPacket(r io.Reader, head [4]byte) (code uint32, body []byte, err error) {
	size := int64(int32(binary.BigEndian.Uint32(head[:])))
	if size < minStartup || size > maxStartup {
		return 0, nil, errNotPostgres
	}
	body = make([]byte, size-4)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, cutShort(err)
	}
	return binary.BigEndian.Uint32(body), body[4:], nil
}

// begin connects the client that a StartupMessage describes, when it has shown who it
// is, and greets it. What the client wishes of its session waits until then.
func (c *conn) begin(o *opening, version uint32, body []byte) error {
	if version>>16 != protocolMajor {
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"unsupported frontend protocol %d.%d: server supports 3.0 to 3.2", version>>16, version&0xffff)
	}
	request, err := parseStartup(body)
	if err != nil {
		return err
	}
	agreed := min(version, protocolLatest)
	if agreed != version || len(request.unknown) > 0 {
		c.out.send(&pgproto3.NegotiateProtocolVersion{
			NewestMinorProtocol: agreed, UnrecognizedOptions: request.unknown,
		})
	}
	if request.Proved, err = o.authenticate(request.User); err != nil {
		return err
	}
	if err := addOptions(request.Settings, request.options); err != nil {
		return err
	}
	if !c.admit() {
		return sqlerr.New(sqlerr.TooManyConnections, "sorry, too many clients already")
	}
	request.SecretLen = secretLen(agreed)
	request.Terminate, request.Wake = c.terminate, c.wake
	request.Client, request.Server = endOf(c.net.RemoteAddr()), endOf(c.net.LocalAddr())
	if c.session, err = c.server.db.Connect(request.Startup); err != nil {
		return asFatal(err)
	}
	c.greet()
	return nil
}

// The bytes of the key that cancels. Clients of 3.0 know only the short one.
const (
	keySize     = 4
	longKeySize = 32
)

func secretLen(version uint32) int {
	if version < protocolLatest {
		return keySize
	}
	return longKeySize
}

// asFatal makes sure that the client learns why it has no session.
func asFatal(err error) error {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return err
	}
	return sqlerr.Wrap(err, sqlerr.InternalError, "internal error")
}

func (c *conn) greet() {
	c.out.send(&pgproto3.AuthenticationOk{})
	for _, p := range c.session.Parameters() {
		c.sendParameter(p)
	}
	for _, n := range c.session.Notices() {
		c.out.send((*pgproto3.NoticeResponse)(reported(c.session.Charset(), n, "NOTICE")))
	}
	pid, secret := c.session.Key()
	c.out.send(&pgproto3.BackendKeyData{ProcessID: pid, SecretKey: secret})
}

// startupRequest is what a StartupMessage asks for.
type startupRequest struct {
	session.Startup
	unknown []string // protocol options, which begin with _pq_.
	options string   // settings as a command line
}

// parseStartup reads the names and values of a StartupMessage. Names that are not the
// protocol's own are settings.
func parseStartup(body []byte) (*startupRequest, error) {
	fields, err := splitStartup(body)
	if err != nil {
		return nil, err
	}
	r := &startupRequest{Startup: session.Startup{Settings: make(map[string]string)}}
	for i := 0; i < len(fields); i += 2 {
		name, value := fields[i], fields[i+1]
		switch {
		case name == "user":
			r.User = value
		case name == "database":
			r.Database = value
		case name == "options":
			r.options = value
		case name == "replication":
			if !isOff(value) {
				return nil, sqlerr.Unsupported("replication")
			}
		case strings.HasPrefix(name, "_pq_."):
			r.unknown = append(r.unknown, name)
		default:
			r.Settings[name] = value
		}
	}
	if r.User == "" {
		return nil, sqlerr.New(sqlerr.InvalidAuthorization, "no PostgreSQL user name specified in startup packet")
	}
	if r.Database == "" {
		r.Database = r.User
	}
	return r, nil
}

// splitStartup cuts name\0value\0...\0 into an even number of strings.
func splitStartup(body []byte) ([]string, error) {
	var fields []string
	for {
		field, rest, found := bytes.Cut(body, []byte{0})
		if !found {
			return nil, badLayout()
		}
		if len(field) == 0 && len(fields)%2 == 0 {
			if len(rest) > 0 {
				return nil, badLayout()
			}
			return fields, nil
		}
		fields, body = append(fields, string(field)), rest
	}
}

func badLayout() error {
	return violation("invalid startup packet layout: expected terminator as last byte")
}

func isOff(value string) bool {
	return slices.Contains([]string{"off", "false", "no", "0"}, strings.ToLower(value))
}

// addOptions reads options as a postgres command line: -c name=value or --name=value,
// where a backslash keeps the next character from ending a word. They stand behind the
// settings that are there.
func addOptions(settings map[string]string, options string) error {
	words := splitWords(options)
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		assignment, isLong := strings.CutPrefix(word, "--")
		if !isLong {
			var isShort bool
			if assignment, isShort = strings.CutPrefix(word, "-c"); !isShort {
				return badOption(word)
			}
			if assignment == "" && len(words) > 0 {
				assignment, words = words[0], words[1:]
			}
		}
		name, value, found := strings.Cut(assignment, "=")
		if !found {
			return badOption(word)
		}
		name = strings.ReplaceAll(name, "-", "_")
		if _, set := settings[name]; !set {
			settings[name] = value
		}
	}
	return nil
}

func badOption(word string) error {
	return sqlerr.New(sqlerr.SyntaxError, "%s",
		fmt.Sprintf("invalid command-line argument for server process: %s", word))
}

func splitWords(s string) (words []string) {
	var word strings.Builder
	inWord := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || '\t' <= c && c <= '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case c == '\\' && i+1 < len(s):
			i++
			fallthrough
		default:
			word.WriteByte(s[i])
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
