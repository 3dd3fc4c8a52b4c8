package transaction

import (
	"context"

	"zproxy/cluster"
	"zproxy/sqlerr"
)

// setSnapshot runs SET TRANSACTION SNAPSHOT: the transaction sees what the one that has exported the snapshot saw.
func (s statements) setSnapshot(ctx context.Context, id string) error {
	if Outside(s.Current) {
		if err := s.warnOutside(); err != nil {
			return err
		}
	}
	switch {
	case s.hasFixedModes() || len(s.savepoints) > 0:
		return sqlerr.New(sqlerr.ActiveSQLTransaction, "SET TRANSACTION SNAPSHOT must be called before any query")
	case !s.Fixed():
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"a snapshot-importing transaction must have isolation level SERIALIZABLE or REPEATABLE READ")
	}
	return cluster.Import(ctx, &s.Transaction, id)
}

// Export lets other transactions see what one sees, and is the identifier by which they ask for that.
func Export(ctx context.Context, c *Current) (string, error) {
	if len(c.savepoints) > 0 {
		return "", sqlerr.New(sqlerr.ActiveSQLTransaction, "cannot export a snapshot from a subtransaction")
	}
	return cluster.Export(ctx, &c.Transaction)
}
