package main

import (
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// city is one row. Longitude and latitude are in units of 1e-5 degrees, the source's precision.
type city struct {
	id, population                 int64
	name, country, admin1, feature string
	lon, lat                       int64
}

// Field numbers of the messages in cities.pbf; the other fields are alternative country codes and lower divisions.
const (
	fieldID         = 1
	fieldName       = 2
	fieldCountry    = 3
	fieldFeature    = 7
	fieldAdmin1     = 8
	fieldPopulation = 9
	fieldLon        = 10
	fieldLat        = 11
)

var errMalformed = errors.New("cities.pbf is malformed")

// decodeCities reads Protocol Buffers messages, each after its length, and orders the cities by id. A message holds its
// position as the difference from the one before.
func decodeCities(data []byte) ([]city, error) {
	var cities []city
	var lon, lat int64
	for len(data) > 0 {
		message, rest, err := cutBytes(data)
		if err != nil {
			return nil, err
		}
		p, err := decodeCity(message)
		if err != nil {
			return nil, err
		}
		lon, lat = lon+p.lon, lat+p.lat
		p.lon, p.lat = lon, lat
		cities, data = append(cities, p), rest
	}
	slices.SortFunc(cities, func(p, q city) int { return cmp.Compare(p.id, q.id) })
	return cities, nil
}

func decodeCity(data []byte) (city, error) {
	var p city
	for len(data) > 0 {
		tag, rest, err := cutVarint(data)
		if err != nil {
			return city{}, err
		}
		switch field := tag >> 3; tag & 7 {
		case 0:
			var value uint64
			value, data, err = cutVarint(rest)
			p.setNumber(field, value)
		case 2:
			var text []byte
			text, data, err = cutBytes(rest)
			p.setText(field, string(text))
		default:
			err = fmt.Errorf("%w: wire type %d", errMalformed, tag&7)
		}
		if err != nil {
			return city{}, err
		}
	}
	return p, nil
}

func (p *city) setNumber(field, value uint64) {
	switch field {
	case fieldID:
		p.id = unzigzag(value)
	case fieldPopulation:
		p.population = int64(value)
	case fieldLon:
		p.lon = unzigzag(value)
	case fieldLat:
		p.lat = unzigzag(value)
	}
}

func (p *city) setText(field uint64, text string) {
	switch field {
	case fieldName:
		p.name = text
	case fieldCountry:
		p.country = text
	case fieldFeature:
		p.feature = text
	case fieldAdmin1:
		p.admin1 = text
	}
}

// unzigzag undoes Protocol Buffers' mapping of signed to unsigned integers.
func unzigzag(value uint64) int64 { return int64(value>>1) ^ -int64(value&1) }

func cutVarint(data []byte) (value uint64, rest []byte, err error) {
	value, n := binary.Uvarint(data)
	if n <= 0 {
		return 0, nil, errMalformed
	}
	return value, data[n:], nil
}

func cutBytes(data []byte) (value, rest []byte, err error) {
	n, rest, err := cutVarint(data)
	if err != nil || n > uint64(len(rest)) {
		return nil, nil, errMalformed
	}
	return rest[:n], rest[n:], nil
}

// writeCSV writes the cities compressed, with no time or file name in the header, so that equal cities give equal
// bytes.
func writeCSV(w io.Writer, cities []city) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	rows := csv.NewWriter(compressed)
	// The writer keeps its first error, which Error reports below.
	_ = rows.Write([]string{"id", "name", "country", "admin1", "feature", "population", "lon", "lat"})
	for _, p := range cities {
		_ = rows.Write(p.record())
	}
	rows.Flush()
	return errors.Join(rows.Error(), compressed.Close())
}

func (p *city) record() []string {
	id, population := strconv.FormatInt(p.id, 10), strconv.FormatInt(p.population, 10)
	return []string{id, p.name, p.country, p.admin1, p.feature, population, degrees(p.lon), degrees(p.lat)}
}

func degrees(units int64) string { return strconv.FormatFloat(float64(units)/1e5, 'f', -1, 64) }
