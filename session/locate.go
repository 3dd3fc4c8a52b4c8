package session

import (
	"errors"
	"unicode/utf8"

	"zproxy/sqlerr"
)

// located is an error whose position has been told in characters.
type located struct{ error }

// Unwrap gives the error.
func (p located) Unwrap() error { return p.error }

// locate turns the byte offset of an error's position into characters of the text that it
// is about, once.
func locate(err error, text string) error {
	if err == nil {
		return nil
	}
	var e *sqlerr.Error
	if errors.As(err, new(located)) || !errors.As(err, &e) || e.Position == 0 || e.Query != "" {
		return err
	}
	c := *e
	c.Position = characters(text, e.Position-1) + 1
	return located{&c}
}

// characters is how many characters of a text come before a byte.
func characters(text string, offset int) int {
	return utf8.RuneCountInString(text[:min(offset, len(text))])
}
