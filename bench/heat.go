package main

import (
	"context"
	"os"
)

// measureHeat compares lookups by primary key in a zproxy that counts which keys are read with those in one that does
// not.
func measureHeat(ctx context.Context, b *bench) (*section, error) {
	of := *b
	for i, heat := range []string{"true", "false"} {
		folder, err := os.MkdirTemp("", "zproxy-heat-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		s := &side{name: "--heat=" + heat, dialect: zproxy}
		s.process, s.dsn, err = startZproxy(ctx, b.launch, "--data", folder, "--heat="+heat)
		if err != nil {
			return nil, err
		}
		defer s.stop()
		of.sides[i] = s
	}
	out, err := measurePoint(ctx, &of)
	if err == nil {
		out.columns = [2]string{of.sides[0].name, of.sides[1].name}
	}
	return out, err
}
