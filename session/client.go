package session

import (
	"io"
	"slices"

	"zproxy/sqlerr"
	"zproxy/types"
)

// Client takes what the statements of one message answer. wire implements it; an error
// from it means that the client is gone and ends the statement.
type Client interface {
	// Columns announces the rows of a statement of a simple query, also when none follow.
	Columns(p *Portal) error
	// Rows takes some rows, in the formats of the portal; they are the caller's again
	// when it returns.
	Rows(p *Portal, rows *types.Batch) error
	// Done ends one statement.
	Done(o Outcome) error
	// Notice takes a message that is not an error.
	Notice(n *sqlerr.Error) error
	// CopyIn asks for the data of a COPY FROM STDIN and reads it as one stream. A client
	// that gives up makes Read fail.
	CopyIn(f CopyFormat) (io.Reader, error)
	// CopyOut announces the data of a COPY TO STDOUT, of which each Write sends a row; Close
	// ends it.
	CopyOut(f CopyFormat) (io.WriteCloser, error)
}

// CopyFormat is what a client is told of the data of a COPY.
type CopyFormat struct {
	Columns int
	Binary  bool
}

// Outcome is how a statement ended.
type Outcome struct {
	Tag       string // SELECT, without its count; empty with Suspended or Empty
	Count     int64  // of rows
	Counted   bool   // the tag ends in the count
	Suspended bool   // the portal has more rows
	Empty     bool   // there was no statement in the text
}

// noticeFilter is a client that wants no messages of some severities.
type noticeFilter struct {
	Client
	unwanted []string
}

// Notice implements Client.
func (c noticeFilter) Notice(n *sqlerr.Error) error {
	if slices.Contains(c.unwanted, n.Severity) {
		return nil
	}
	return c.Client.Notice(n)
}
