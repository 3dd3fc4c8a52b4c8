package demodata

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"testing"
	"unicode/utf8"
)

func TestCities(t *testing.T) {
	cities, err := Cities()
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(cities)
	header, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"id", "name", "country", "admin1", "feature", "population", "lon", "lat"}
	if !slices.Equal(header, want) {
		t.Fatalf("header is %q, want %q", header, want)
	}
	count, last := 0, int64(0)
	for ; ; count++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if last, err = checkCity(record, last); err != nil {
			t.Fatalf("%q: %v", record, err)
		}
	}
	if count != CityCount {
		t.Errorf("%d rows, want %d", count, CityCount)
	}
	if err := cities.Close(); err != nil {
		t.Error(err)
	}
}

// checkCity returns the record's id, which must be above the one before.
func checkCity(record []string, before int64) (int64, error) {
	id, err := strconv.ParseInt(record[0], 10, 32)
	if err != nil || id <= before {
		return 0, fmt.Errorf("id after %d: %w", before, err)
	}
	name, country, feature := record[1], record[2], record[4]
	if name == "" || !utf8.ValidString(name) || len(country) != 2 || feature == "" {
		return 0, errors.New("bad name, country or feature")
	}
	if _, err := strconv.ParseUint(record[5], 10, 31); err != nil {
		return 0, err
	}
	if err := checkDegrees(record[6], 180); err != nil {
		return 0, err
	}
	return id, checkDegrees(record[7], 90)
}

func checkDegrees(text string, limit float64) error {
	degrees, err := strconv.ParseFloat(text, 64)
	if err == nil && (degrees < -limit || degrees > limit) {
		err = fmt.Errorf("%v is out of range", degrees)
	}
	return err
}
