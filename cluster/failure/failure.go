// Package failure turns errors of the store into errors for clients: it gives them SQLSTATEs, and names the tables
// and indexes that they concern. It knows all kinds of errors of package store. Errors of SQL already have their
// codes.
//
// Read `Explain` first.
package failure

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/heat"
)

// Known is what errors are explained by.
type Known struct {
	Catalog
	Heat *heat.Meter // what the process asked for; nil: it is not known
}

// Catalog is that of one database, or of all.
type Catalog interface{ Tables() []*catalog.Table }

// Explain gives an error of the store its SQLSTATE, with names by a catalog; other errors stay as they are.
func Explain(ctx context.Context, k Known, err error) error {
	if err == nil {
		return nil
	}
	of := k.Catalog
	var known *sqlerr.Error
	var denial *store.Denied
	var refused *store.Refused
	var damage *store.Damaged
	var full *store.Full
	var large *store.TooLarge
	switch {
	case errors.As(err, &damage):
		return Damaged(of, err, damage)
	case errors.As(err, &full):
		return sqlerr.Wrap(err, sqlerr.DiskFull, "no space is left in %s", full.Dir).
			WithDetail("%d MB are free, and the server keeps %d MB.", full.Left>>20, full.Least>>20).
			WithHint("Free disk space, or lower the setting min-free-disk of the server. DROP and TRUNCATE still work, and DELETE.")
	case errors.As(err, &known):
		return err
	case errors.As(err, &denial):
		return denied(of, err, denial)
	case errors.As(err, &refused):
		return sqlerr.Wrap(err, sqlerr.ObjectNotInPrerequisiteState, "the store refuses this: %s", refused.Reason)
	case errors.Is(err, store.ErrConflict):
		return sqlerr.Wrap(err, sqlerr.SerializationFailure, "could not serialize access due to concurrent update").
			WithHint("The transaction might succeed if retried.")
	case errors.Is(err, store.ErrUnknown):
		return sqlerr.Wrap(err, sqlerr.StatementCompletionUnknown, "the outcome of the commit is unknown").
			WithHint("Read the rows to see whether they were written before trying again.")
	case errors.Is(err, store.ErrBusy):
		return tooBusy(k, err)
	case errors.Is(err, store.ErrGone):
		return sqlerr.Wrap(err, sqlerr.SerializationFailure, "could not serialize access because the schema changed").
			WithHint("The transaction might succeed if retried.")
	case errors.Is(err, store.ErrUnreachable) && ctx.Err() == nil:
		return sqlerr.Wrap(err, sqlerr.IOError, "the store does not answer").WithDetail("%s.", err.Error()).
			WithHint("The transaction might succeed if retried later.")
	case errors.As(err, &large):
		return sqlerr.Wrap(err, sqlerr.ProgramLimitExceeded, "row is too big: size %d, maximum size %d", large.Bytes,
			large.Most).WithDetail("It is a row of %s in the store.", spaceOf(of, large.Space))
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

// Damaged tells which file cannot be read, and whose rows are in it.
func Damaged(of Catalog, err error, d *store.Damaged) error {
	var names []string
	for _, space := range d.Spaces {
		names = append(names, spaceOf(of, space).String())
	}
	what := "an item of the store"
	if d.File != "" {
		what = fmt.Sprintf("file \"%s\"", d.File)
	}
	e := sqlerr.Wrap(err, sqlerr.DataCorrupted, "could not read %s: it is damaged", what).
		WithHint("Stop the server and put back the file, or its folder, from a copy, or copy what can be read with zproxy check --salvage.")
	if len(names) > 0 {
		return e.WithDetail("It may have rows of %s. %s.", strings.Join(names, ", "), d.Reason)
	}
	return e.WithDetail("%s.", d.Reason)
}

// denied tells that it is the server to which something is not allowed, and where.
func denied(of Catalog, err error, d *store.Denied) error {
	where := "the store"
	if d.Space != "" {
		where = spaceOf(of, d.Space).String()
	}
	e := sqlerr.Wrap(err, sqlerr.InsufficientPrivilege, "the server has no permission for %s", where).
		WithDetail("The store says: %s.", d.Reason)
	if d.Grant == "" {
		return e.WithHint("The operator of the server must grant it this permission.")
	}
	return e.WithHint("The operator of the server must grant it this permission: %s", d.Grant)
}
