package session

import (
	"context"
	"errors"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/store"
)

// explain gives an error of the store its SQLSTATE; other errors stay as they are.
func explain(ctx context.Context, err error) error {
	var known *sqlerr.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, store.ErrConflict):
		return sqlerr.Wrap(err, sqlerr.SerializationFailure, "could not serialize access due to concurrent update").
			WithHint("The transaction might succeed if retried.")
	case errors.Is(err, store.ErrUnknown):
		return sqlerr.Wrap(err, sqlerr.StatementCompletionUnknown, "the outcome of the commit is unknown").
			WithHint("Read the rows to see whether they were written before trying again.")
	case errors.Is(err, store.ErrTooLarge):
		return sqlerr.Wrap(err, sqlerr.ProgramLimitExceeded, "%s", err.Error())
	case ctx.Err() != nil:
		if cause := context.Cause(ctx); errors.As(cause, &known) {
			return cause
		}
		return sqlerr.Wrap(err, sqlerr.QueryCanceled, "canceling statement due to user request")
	}
	return err
}

// place turns the byte offset of an error's position into characters of the text sent.
func place(err error, text string) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Position == 0 {
		return err
	}
	c := *e
	offset := min(e.Position-1, len(text))
	c.Position = utf8.RuneCountInString(text[:offset]) + 1
	return &c
}
