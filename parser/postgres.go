package parser

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"
	libpg "github.com/pganalyze/pg_query_go/v6/parser"
	"google.golang.org/protobuf/proto"

	"zproxy/sqlerr"
)

// stderr guards the process's file descriptor 2. libpg_query points it at a pipe for the
// length of each call and then puts back what it found, so that two calls at once could
// leave it at a closed pipe, and the next write to it would end the process (SIGPIPE).
var stderr sync.Mutex

// postgres reads a text by PostgreSQL's grammar.
func postgres(sql string) (*pg.ParseResult, *sqlerr.Error) {
	stderr.Lock()
	bytes, err := libpg.ParseToProtobuf(sql)
	stderr.Unlock()
	if err != nil {
		return nil, grammarError(sql, err)
	}
	tree := &pg.ParseResult{}
	if err := proto.Unmarshal(bytes, tree); err != nil {
		return nil, sqlerr.Wrap(err, sqlerr.StatementTooComplex, "stack depth limit exceeded")
	}
	return tree, nil
}

// scan is the token stream of a text, with its comments.
func scan(sql string) ([]*pg.ScanToken, *sqlerr.Error) {
	stderr.Lock()
	bytes, err := libpg.ScanToProtobuf(sql)
	stderr.Unlock()
	if err != nil {
		return nil, grammarError(sql, err)
	}
	result := &pg.ScanResult{}
	if err := proto.Unmarshal(bytes, result); err != nil {
		return nil, sqlerr.Wrap(err, sqlerr.InternalError, "the token stream is broken")
	}
	return result.GetTokens(), nil
}

// grammarError is a refusal by PostgreSQL's grammar. libpg_query gives no SQLSTATE and
// counts its position in characters from 1.
func grammarError(sql string, err error) *sqlerr.Error {
	var refused *libpg.Error
	if !errors.As(err, &refused) {
		return sqlerr.Wrap(err, sqlerr.InternalError, "the grammar failed")
	}
	e := sqlerr.New(grammarCode(refused.Message), "%s", refused.Message)
	return e.At(byteOffset(sql, refused.Cursorpos-1))
}

// grammarCode is the SQLSTATE that PostgreSQL has for a message of its grammar.
func grammarCode(message string) sqlerr.Code {
	switch {
	case strings.Contains(message, "Unicode escape"), strings.Contains(message, "escape string"):
		return sqlerr.InvalidEscapeSequence
	case strings.HasSuffix(message, "not yet implemented"), strings.HasSuffix(message, "no longer supported"):
		return sqlerr.FeatureNotSupported
	case strings.HasPrefix(message, "role name ") && strings.HasSuffix(message, "reserved"):
		return sqlerr.ReservedName
	case strings.HasPrefix(message, "precision for type float"):
		return sqlerr.InvalidParameterValue
	case strings.HasPrefix(message, "memory exhausted"):
		return sqlerr.StatementTooComplex
	}
	return sqlerr.SyntaxError
}

// byteOffset is where a character starts, or -1 for a character that is not there.
func byteOffset(s string, char int) int {
	offset := 0
	for ; char > 0 && offset < len(s); char-- {
		_, size := utf8.DecodeRuneInString(s[offset:])
		offset += size
	}
	if char != 0 {
		return -1
	}
	return offset
}

// shift moves the position of an error in a piece to where it is in the whole text.
func shift(e *sqlerr.Error, base int) *sqlerr.Error {
	if e.Position == 0 {
		return e
	}
	moved := *e
	moved.Position += base
	return &moved
}
