package main

import (
	"context"
	"errors"
	"fmt"

	"zproxy/catalog/inspect"
	"zproxy/store/dynamostore"
)

// inspect prints the DDL by which a table of another program can be used, as a sample of its items shows it. It writes
// to no table. What is read, and what that costs, goes to standard error.
func (p *program) inspect(ctx context.Context, o *options) (err error) {
	switch {
	case o.store != storeDynamo:
		return fmt.Errorf("only DynamoDB has tables of other programs, and the store is %s", o.store)
	case o.table == "":
		return errors.New("which table? zproxy inspect TABLE")
	case o.sampleUnits < dynamostore.LeastSampleUnits:
		return fmt.Errorf("--sample-units must be at least %d, which one item may cost", dynamostore.LeastSampleUnits)
	}
	st, err := openDynamo(ctx, o, p.logger(o))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	sampled, err := dynamostore.SampleTable(ctx, st, o.table, dynamostore.SampleLimits{
		Items: o.sampleItems, Units: float64(o.sampleUnits),
		Announce: func(most float64) {
			fmt.Fprintf(p.err, "reading up to %d items of %s, for at most %g read units\n", o.sampleItems, o.table,
				most)
		},
	})
	if sampled != nil {
		fmt.Fprintf(p.err, "read %s for %g read units\n", counted(len(sampled.Items), "item", "items"), sampled.Units)
	}
	if err != nil {
		return err
	}
	return inspect.Infer(sampled).Print(p.out)
}
