package types

import (
	"slices"

	"zproxy/types/form"
)

// Many types are held as bytes, of which a package for each kind of value knows what they mean. The following make
// what the tables of types and casts want of the functions of such a package.

func bytesValue(p []byte, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewBytes(p), nil
}

func heldText(f func(dst, held []byte) []byte) func(dst []byte, v Value, _ *Env) []byte {
	return func(dst []byte, v Value, _ *Env) []byte { return f(dst, v.Bytes()) }
}

func heldRead(f func(s string) ([]byte, error)) func(s string, _ *Env) (Value, error) {
	return func(s string, _ *Env) (Value, error) { return bytesValue(f(s)) }
}

func heldBinary(f func(dst, held []byte) []byte) func(dst []byte, v Value) []byte {
	return func(dst []byte, v Value) []byte { return f(dst, v.Bytes()) }
}

func heldReceived(f func(p []byte) ([]byte, error)) func(p []byte) (Value, error) {
	return func(p []byte) (Value, error) { return bytesValue(f(p)) }
}

func heldCast(f func(held []byte) ([]byte, error)) func(v Value, _ T, _ *Env) (Value, error) {
	return func(v Value, _ T, _ *Env) (Value, error) { return bytesValue(f(v.Bytes())) }
}

// fixedBytes reads a binary format that is what is held, of a fixed length.
func fixedBytes(size int) func(p []byte) (Value, error) {
	return func(p []byte) (Value, error) {
		if err := form.CheckLength(p, size); err != nil {
			return Null, err
		}
		return NewBytes(slices.Clone(p)), nil
	}
}
