package wire

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/sqlerr"
)

// report tells the client why a statement failed. What has no code is a bug or
// an outage: only the log learns more. A statement that ended with its session is left to
// the answer, why the connection ends.
func (c *conn) report(err error) error {
	if c.out.err != nil { // which is the cause: the client is gone
		return nil
	}
	e := sqlerr.From(err)
	switch e.Code {
	case sqlerr.AdminShutdown, sqlerr.TransactionTimeout, sqlerr.ConnectionFailure:
		return e
	}
	c.log(err, e)
	c.out.send(reported(charsetOf(c.session), e, "ERROR"))
	return nil
}

// fatal tells the client why the connection ends. An error without a code is the
// network's: the client is gone.
func (c *conn) fatal(err error) {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		c.server.o.Log.Debug("connection lost", "client", c.net.RemoteAddr(), "error", err)
		return
	}
	e = sqlerr.From(err)
	c.log(err, e)
	c.sendLast(e)
}

func (c *conn) sendLast(e *sqlerr.Error) {
	c.out.send(reported(charsetOf(c.session), e, "FATAL"))
	_ = c.out.flush()
}

// log writes down what the client may not see. Messages stay out of it, since they
// quote the client's data, unless they are of errors without a code. An internal error without
// a cause is one that PostgreSQL has, too.
func (c *conn) log(err error, e *sqlerr.Error) {
	cause := errors.Unwrap(e)
	isInternal := e.Code == sqlerr.InternalError && cause != nil || e.Code == sqlerr.DataCorrupted
	switch {
	case isInternal && cause == nil:
		cause = err
	case cause == nil:
		return
	}
	level := slog.LevelDebug
	if isInternal {
		level = slog.LevelError
	}
	message := "statement failed"
	if errors.As(err, new(*bug)) {
		message = "panic"
	}
	c.server.o.Log.Log(c.stopping, level, message,
		"client", c.net.RemoteAddr(), "code", e.Code, "error", cause)
}

// bug is what a panic said, and where it was.
type bug struct {
	value any
	stack []byte
}

// Error implements error.
func (b *bug) Error() string { return fmt.Sprintf("%v\n%s", b.value, b.stack) }

// panicked is the error that a panic is, for who recovers from it.
func panicked(value any) error {
	return sqlerr.Wrap(&bug{value, debug.Stack()}, sqlerr.InternalError, "internal error")
}

// errorResponse has the fields that clients read. The source that File, Line and Routine name is ours.
func errorResponse(e *sqlerr.Error, severity string) *pgproto3.ErrorResponse {
	if e.Severity != "" && severity != "FATAL" {
		severity = e.Severity
	}
	made := e.Location()
	out := &pgproto3.ErrorResponse{
		Severity:            severity,
		SeverityUnlocalized: severity,
		Code:                string(e.Code),
		Message:             e.Message,
		Detail:              e.Detail,
		Where:               e.Where,
		Hint:                e.Hint,
		Position:            int32(e.Position),
		SchemaName:          e.Schema,
		TableName:           e.Table,
		ColumnName:          e.Column,
		DataTypeName:        e.DataType,
		ConstraintName:      e.Constraint,
		File:                made.File,
		Line:                int32(made.Line),
		Routine:             made.Routine,
	}
	if e.Query != "" {
		out.Position, out.InternalPosition, out.InternalQuery = 0, out.Position, e.Query
	}
	return out
}

func violation(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.ProtocolViolation, format, args...)
}

// malformed is for a body that does not have the fields of its message.
func malformed(error) error { return violation("invalid message format") }
