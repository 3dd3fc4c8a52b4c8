package bind

import "zproxy/sqlerr"

// InStored takes the position off an error, since it is one in a text that the catalog
// keeps and not in the statement's.
func InStored(err error) error {
	e, ok := err.(*sqlerr.Error)
	if !ok || e.Position == 0 {
		return err
	}
	c := *e
	c.Position = 0
	return &c
}
