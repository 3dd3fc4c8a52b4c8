package parser

import (
	"errors"
	"strings"
	"unicode/utf8"

	pg "github.com/pganalyze/pg_query_go/v6"
	libpg "github.com/pganalyze/pg_query_go/v6/parser"

	"zproxy/sqlerr"
)

// postgres reads a text by PostgreSQL's grammar.
func postgres(sql string, w *watch) (*pg.ParseResult, *sqlerr.Error) {
	tree := &pg.ParseResult{}
	if err := read(sql, w, libpg.ParseToProtobuf, tree); err != nil {
		return nil, failure(sql, err, sqlerr.StatementTooComplex, "stack depth limit exceeded")
	}
	return tree, nil
}

// scan is the token stream of a text, with its comments.
func scan(sql string, w *watch) ([]*pg.ScanToken, *sqlerr.Error) {
	result := &pg.ScanResult{}
	if err := read(sql, w, libpg.ScanToProtobuf, result); err != nil {
		return nil, failure(sql, err, sqlerr.InternalError, "the token stream is broken")
	}
	return result.GetTokens(), nil
}

// failure is the error of a text that the grammar refuses, or of this code and message when what libpg_query
// made of the text cannot be decoded.
func failure(sql string, err error, code sqlerr.Code, message string) *sqlerr.Error {
	var refused *libpg.Error
	if errors.As(err, &refused) {
		return grammarError(sql, refused)
	}
	return sqlerr.Wrap(err, code, "%s", message)
}

// grammarError is a refusal by PostgreSQL's grammar. libpg_query gives no SQLSTATE and
// counts its position in characters from 1.
func grammarError(sql string, refused *libpg.Error) *sqlerr.Error {
	e := sqlerr.New(grammarCode(refused.Message), "%s", refused.Message)
	return e.At(byteOffset(sql, refused.Cursorpos-1))
}

// grammarCode is the SQLSTATE that PostgreSQL has for a message of its grammar.
func grammarCode(message string) sqlerr.Code {
	switch {
	case strings.Contains(message, "Unicode escape"), strings.Contains(message, "escape string"):
		return sqlerr.InvalidEscapeSequence
	case strings.HasPrefix(message, "invalid byte sequence for encoding"):
		return sqlerr.CharacterNotInRepertoire
	case strings.HasSuffix(message, "not yet implemented"), strings.HasSuffix(message, "no longer supported"),
		strings.Contains(message, "constraints cannot be marked"),
		strings.HasPrefix(message, "only string constants are supported in JSON_TABLE"),
		message == "aggregates cannot have output arguments":
		return sqlerr.FeatureNotSupported
	case strings.HasPrefix(message, "role name ") && strings.HasSuffix(message, "reserved"):
		return sqlerr.ReservedName
	case strings.HasPrefix(message, "precision for type float"),
		strings.HasPrefix(message, "unrecognized JSON encoding"):
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
