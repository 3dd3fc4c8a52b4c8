package faults

import (
	"zproxy/internal/kintest"
	"zproxy/sqlerr"
)

// kin are tables with foreign keys of every action, which may be deferred, and partitions. Whatever is refused, lost or
// done late, each row has the rows that it refers to.
type kin struct{ *kintest.Kin }

// kinChildren is so few that rows meet.
const kinChildren = 16

func newKin(w *world) program { return &kin{kintest.Draw(w.Rand, kinChildren)} }

func (k *kin) schema() []string { return k.Create() }

func (k *kin) judge(*world) {}

// step writes some rows, at times by one statement. A check sees what others commit meanwhile, so that it may fail
// where the commit would.
func (k *kin) step(c *client) {
	also := c.also
	defer func() { c.also = also }()
	c.also = append(c.also, sqlerr.ForeignKeyViolation, sqlerr.ProgramLimitExceeded)
	var writes []string
	for range 1 + c.IntN(3) {
		writes = append(writes, k.Write(c.Rand))
	}
	if len(writes) == 1 {
		_, _ = c.exec("%s", writes[0])
		return
	}
	_, _ = c.attempt("BEGIN"+drawn(c.Rand, "", "", " ISOLATION LEVEL REPEATABLE READ"), func() (bool, error) {
		for _, sql := range writes {
			if _, err := c.exec("%s", sql); err != nil {
				return false, err
			}
		}
		return c.IntN(8) > 0, nil
	})
}

// converged makes a parent that no other client knows, and a child.
func (k *kin) converged(c *client) {
	id := 1000 + c.number
	_, err := c.atomically("BEGIN", func() (bool, error) {
		if _, err := c.exec("INSERT INTO p VALUES (%d, %d)", id, id); err != nil {
			return false, err
		}
		_, err := c.exec("INSERT INTO c VALUES (%d, %d, %d)", id, id, id)
		return true, err
	})
	if err != nil {
		c.w.Errorf("-seed %d: %s: no child without faults: %v", c.w.seed, c.name, err)
	}
}

func (k *kin) check(c *client) {
	for _, sql := range k.Orphans() {
		if a, err := c.exec("%s", sql); err != nil || a.rows[0][0] != 0 {
			c.w.Errorf("-seed %d: %s: %s: %v %v", c.w.seed, c.name, sql, a.rows, err)
		}
	}
}
