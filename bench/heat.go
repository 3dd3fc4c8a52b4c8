package main

import (
	"context"
	"os"
)

// measureHeat compares lookups by primary key in a zproxy that counts which keys are read with those in one that does
// not. Of two processes the one that began first may be some per cent slower, so each of them begins first once.
func measureHeat(ctx context.Context, b *bench) (*section, error) {
	out, err := heatFrom(ctx, b, "true", "false")
	if err != nil {
		return nil, err
	}
	again, err := heatFrom(ctx, b, "false", "true")
	if err != nil {
		return nil, err
	}
	for i := range out.lines {
		for side, rounds := range again.lines[i].sides {
			out.lines[i].sides[1-side] = append(out.lines[i].sides[1-side], rounds...)
		}
	}
	out.about = append(out.about, "Half of the rounds are of two processes of which the one without counting began first.")
	return out, nil
}

// heatFrom measures two processes with such settings, which begin in this order.
func heatFrom(ctx context.Context, b *bench, settings ...string) (*section, error) {
	of := *b
	for i, heat := range settings {
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
