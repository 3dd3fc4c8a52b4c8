package main

import (
	"bytes"
	"context"
	_ "embed" // carries the program that reads the parquet file
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// flightRows is how many there are.
const flightRows = 3_000_000

// flightPackages are what npm must bring: the data, and what reads them.
var flightPackages = []string{"vega-datasets@3.2.1", "hyparquet@1.31.5", "hyparquet-compressors@1.1.2"}

//go:embed flights.mjs
var flightsProgram []byte

// flights returns real rows: flights in the USA from January to June 2001 with distance, departure, delay and origin.
// They are fetched by npm once, and kept in the cache folder.
func flights(ctx context.Context, cache string, n int) (*dataset, error) {
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		cache = filepath.Join(dir, "zproxy-bench")
	}
	path := filepath.Join(cache, "flights.csv")
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		if err = fetchFlights(ctx, path); err == nil {
			text, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("flights: %w", err)
	}
	return readFlights(text, n)
}

// fetchFlights writes the file. It appears only once it is whole.
func fetchFlights(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "npm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string][]byte{"flights.mjs": flightsProgram, "package.json": []byte("{}\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	install := append([]string{"install", "--ignore-scripts", "--no-audit", "--no-fund"}, flightPackages...)
	for _, command := range [][]string{append([]string{"npm"}, install...), {"node", "flights.mjs", "flights.csv"}} {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Dir = dir
		if err := runCommand(cmd); err != nil {
			return err
		}
	}
	return os.Rename(filepath.Join(dir, "flights.csv"), path)
}

// flight is a line of the file.
type flight struct {
	numbers [3]int32 // distance, minute and delay
	origin  string
}

// readFlights takes at most n rows out of all of the file, in its order, which is that of time.
func readFlights(text []byte, n int) (*dataset, error) {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	n = min(n, len(lines))
	all := make([]flight, n)
	codes := map[string]int32{}
	for i := range all {
		f, err := parseFlight(lines[i*len(lines)/n])
		if err != nil {
			return nil, err
		}
		all[i] = f
		codes[f.origin] = 0
	}
	sorted := make([]string, 0, len(codes))
	for origin := range codes {
		sorted = append(sorted, origin)
	}
	slices.Sort(sorted)
	for i, origin := range sorted {
		codes[origin] = int32(i)
	}
	rows := make([]point, n)
	for i, f := range all {
		rows[i] = point{f.numbers[0], f.numbers[1], f.numbers[2], codes[f.origin]}
	}
	columns := [attributes]attribute{integer, minutes(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)), integer,
		code(sorted)}
	return newDataset("f",
		"flights in the USA, January to June 2001, in the order of time: a distance int4, b departure timestamp, "+
			"c delay int4, d origin text", columns, rows), nil
}

func parseFlight(text []byte) (f flight, err error) {
	fields := bytes.Split(text, []byte(","))
	if len(fields) != attributes {
		return f, fmt.Errorf("flights: %q", text)
	}
	for i := range f.numbers {
		number, err := strconv.ParseInt(string(fields[i]), 10, 32)
		if err != nil {
			return f, fmt.Errorf("flights: %q: %w", text, err)
		}
		f.numbers[i] = int32(number)
	}
	f.origin = string(fields[len(f.numbers)])
	return f, nil
}
