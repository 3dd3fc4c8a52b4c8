package form

import (
	"errors"

	"zproxy/sqlerr"
)

// InvalidBinary is the error of a binary form that is none of its type.
func InvalidBinary(what string) error {
	return sqlerr.New(sqlerr.InvalidBinaryRepresentation, "%s", what)
}

// ErrTrailing is the cause of the error about bytes behind a value.
var ErrTrailing = errors.New("bytes behind a value")

// CheckLength wants exactly so many bytes.
func CheckLength(p []byte, size int) error {
	switch {
	case len(p) < size:
		return TooShort()
	case len(p) > size:
		return sqlerr.Wrap(ErrTrailing, sqlerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	return nil
}

// CheckBytes is CheckLength of what PostgreSQL reads byte by byte.
func CheckBytes(p []byte, size int) error {
	if len(p) < size {
		return NoData()
	}
	return CheckLength(p, size)
}

// NoData is the error of a binary form that ends where a byte should be.
func NoData() error { return sqlerr.New(sqlerr.ProtocolViolation, "no data left in message") }

// Unended is the error of a binary form with a text that does not end.
func Unended() error { return sqlerr.New(sqlerr.ProtocolViolation, "invalid string in message") }

// TooShort is the error of a binary form that ends too early.
func TooShort() error {
	return sqlerr.New(sqlerr.ProtocolViolation, "insufficient data left in message")
}

// ItemTooShort is TooShort of what a value is made of, which tells its own length.
func ItemTooShort() error { return InvalidBinary("insufficient data left in message") }

// InvalidText is the error of a text that is none of a type.
func InvalidText(typ, s string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", typ, s)
}
