package main

import (
	"context"
	"io"

	"zproxy/planner/plan"
	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/types"
)

// client is a client in this process. It implements session.Client and keeps what the
// last statement answered.
type client struct {
	session *session.Session
	input   io.Reader // of a COPY FROM STDIN
	result
}

// result is what a statement answered, as text.
type result struct {
	columns []plan.Column
	rows    [][]string
	tag     string
	notices []string
}

func connect(db *session.DB) (*client, error) {
	s, err := db.Connect(session.Startup{User: "demo", Database: "postgres", Internal: true})
	if err != nil {
		return nil, err
	}
	return &client{session: s}, nil
}

// query runs one statement; input is what a COPY reads.
func (c *client) query(ctx context.Context, sql string, input io.Reader) (result, error) {
	c.result, c.input = result{}, input
	err := c.session.Query(ctx, sql, c)
	return c.result, err
}

// Columns keeps the columns of the rows.
func (c *client) Columns(p *session.Portal) error {
	c.columns = p.Columns
	return nil
}

// Rows keeps rows as text; NULL is empty, as psql prints it.
func (c *client) Rows(p *session.Portal, rows *types.Batch) error {
	for i := range rows.Len() {
		var cells []string
		for j, v := range rows.Row(i) {
			cell := ""
			if !v.IsNull() {
				cell = types.FormatText(v, p.Columns[j].Type, c.session.Env())
			}
			cells = append(cells, cell)
		}
		c.rows = append(c.rows, cells)
	}
	return nil
}

// Done keeps how the statement ended.
func (c *client) Done(o session.Outcome) error {
	c.tag = string(o.AppendTag(nil))
	return nil
}

// Notice keeps a notice.
func (c *client) Notice(n *sqlerr.Error) error {
	c.notices = append(c.notices, n.Message)
	return nil
}

// CopyIn hands out the input.
func (c *client) CopyIn(session.CopyFormat) (io.Reader, error) { return c.input, nil }

// CopyOut has nowhere to send data to: the program runs no COPY TO.
func (c *client) CopyOut(session.CopyFormat) (io.WriteCloser, error) {
	return nil, sqlerr.Unsupported("COPY TO here")
}
