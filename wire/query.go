package wire

import "context"

// query runs the statements of a simple query.
func (c *conn) query(ctx context.Context, body []byte) error {
	m := &c.cycle.query
	if err := m.Decode(body); err != nil {
		return c.refuse(ctx, malformed(err))
	}
	text, err := incoming(m.String, c.session.Charset())
	if err != nil {
		return c.refuse(ctx, err)
	}
	if err := c.survive(func() error { return c.session.Query(ctx, text, &c.answers) }); err != nil {
		if err := c.report(err); err != nil {
			return err
		}
		if c.in.err != nil {
			return nil // a COPY ended the connection: the next read says how
		}
	}
	return c.ready()
}

// refuse answers a message that the session never saw.
func (c *conn) refuse(ctx context.Context, err error) error {
	c.session.Fail(err)
	if err := c.report(err); err != nil {
		return err
	}
	return c.sync(ctx)
}

// sync ends a sequence of extended messages, also a failed one.
func (c *conn) sync(ctx context.Context) error {
	c.skipping = false
	if err := c.survive(func() error { return c.session.Sync(ctx) }); err != nil {
		if err := c.report(err); err != nil {
			return err
		}
	}
	return c.ready()
}
