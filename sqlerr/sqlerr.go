// Package sqlerr is an error with an SQLSTATE: made by the code that knows the
// cause, printed by wire. Errors of stores are sentinels of package store, and no part of this. Read Error and New
// first.
package sqlerr

import (
	"errors"
	"fmt"
	"strings"
)

// Error is what a client may see of a failure. Empty fields are not sent.
type Error struct {
	Severity string // empty means ERROR
	Code     Code
	Message  string
	Detail   string
	Hint     string
	Where    string // what was being done: COPY t, line 3
	Position int    // 1-based, in characters of the statement's text, or of Query; 0 means none
	Query    string // of a function, which has the position; empty: the statement has it
	about
	Routine string // of PostgreSQL that reports this, which clients know it by; empty: where it was made
	cause   error
	made    uintptr // where
}

// about is what an error is about, by name, for clients that do not read the message.
type about struct {
	Schema     string
	Table      string
	Column     string
	DataType   string
	Constraint string
}

// New makes an error with a code and a message in the manner of fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return here(Error{Code: code, Message: text(format, args...)})
}

// text writes a message. Between the quotes of %q a text is as it is, as in PostgreSQL.
func text(format string, args ...any) string {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet looks at the calls
	}
	return fmt.Sprintf(strings.ReplaceAll(format, "%q", `"%s"`), args...)
}

// Wrap makes an error with a code around its cause, which only the log sees.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	return here(Error{Code: code, Message: text(format, args...), cause: cause})
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// At returns a copy that points at a 0-based byte offset of the statement, which the
// session turns into a character position. A negative offset leaves it as it is, and
// so does a position that code closer to the cause has set.
func (e *Error) At(offset int) *Error {
	if offset < 0 || e.Position != 0 {
		return e
	}
	c := *e
	c.Position = offset + 1
	return &c
}

// WithDetail returns a copy with a detail.
func (e *Error) WithDetail(format string, args ...any) *Error {
	c := *e
	c.Detail = text(format, args...)
	return &c
}

// WithHint returns a copy with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = text(format, args...)
	return &c
}

// Notice makes a message of severity NOTICE, which does not end the statement.
func Notice(code Code, format string, args ...any) *Error {
	return here(Error{Severity: "NOTICE", Code: code, Message: text(format, args...)})
}

// Warn is a notice of something that may not be what was meant.
func Warn(code Code, format string, args ...any) *Error {
	return here(Error{Severity: "WARNING", Code: code, Message: text(format, args...)})
}

// Unsupported is the answer to what PostgreSQL can do and zproxy cannot.
func Unsupported(format string, args ...any) *Error {
	return here(Error{Code: FeatureNotSupported, Message: text(format, args...) + " is not supported"})
}

// From returns what the client may see of err. The innermost Error wins, since it was
// made closest to the cause. An error without a code is a bug or an outage:
// the client learns only that, and the caller logs err itself.
func From(err error) *Error {
	found := here(Error{Code: InternalError, Message: "internal error", cause: err})
	for {
		var e *Error
		if !errors.As(err, &e) {
			return found
		}
		found, err = e, e.cause
	}
}

// Has says whether the client would see this code for err.
func Has(err error, code Code) bool { return err != nil && From(err).Code == code }
