package clients

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"zproxy/internal/fetched"
)

// nodeModules gives a folder with the modules of a folder's package-lock.json.
func nodeModules(folder string) (string, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return "", err
	}
	modules, err := packages(filepath.Join(folder, "package-lock.json"),
		exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"))
	return filepath.Join(modules, "node_modules"), err
}

// pypiModules gives a folder with the modules of a folder's requirements.txt, which names all of them.
func pypiModules(folder string) (string, error) {
	const list = "requirements.txt"
	modules, err := packages(filepath.Join(folder, list), exec.Command(debianPython, "-m", "pip", "install",
		"--quiet", "--no-deps", "--only-binary", ":all:", "--target", "lib", "-r", list))
	return filepath.Join(modules, "lib"), err
}

// packages gives a folder with what a list in a file names, which a command fetches that runs in a folder with a copy
// of the list.
func packages(list string, fetch *exec.Cmd) (string, error) {
	text, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return fetched.Folder("clients-"+hex.EncodeToString(sum[:6]), func(folder string) error {
		if err := os.CopyFS(folder, os.DirFS(filepath.Dir(list))); err != nil {
			return err
		}
		fetch.Dir = folder
		if out, err := fetch.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %.500s", filepath.Base(fetch.Path), err, out)
		}
		return nil
	})
}
