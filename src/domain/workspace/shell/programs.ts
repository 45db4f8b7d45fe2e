/**
 * What programs do to files, as far as it can be told from their names and options. What is not
 * listed here may change every file that it is given.
 */

/** Programs that change no file, whatever they are given. */
export const READERS: ReadonlySet<string> = new Set(
  `ls cat bat nl head tail grep egrep fgrep zgrep rg ag ack wc uniq cut tr rev tac fold column paste
  join comm diff cmp file stat du df tree less more od xxd hexdump strings md5sum sha1sum sha256sum
  shasum cksum basename dirname realpath readlink pwd which type command whereis whoami id uname
  hostname date cal env printenv export set unset alias declare local read true false : test [ [[ echo
  printf seq yes sleep wait jobs fg bg kill pkill killall ps top pgrep lsof netstat ss ping ssh dig
  nslookup jq bc expr ulimit umask exit return break continue shift trap cd pushd popd dirs mkdir rmdir
  touch chmod chown chgrp source . history man help clear stty tput nproc free uptime lscpu
  kubectl glab bd aws gcloud psql mysql sqlite3 redis-cli open xdg-open code
  sha512sum base64 look tokei cloc scc ctags pip pip3 apt apt-get apk brew dnf yum systemctl service
  journalctl virtualenv nvm rustup for case select function
  unittest nose2 doctest py_compile compileall timeit http.server pytest py.test vitest jest mocha ava tap playwright cypress karma phpunit rspec ctest nextest tox nox
  tsc tsgo vue-tsc gcc g++ cc c++ clang clang++ javac java kotlinc swiftc rustc protoc mvn mvnw gradle
  gradlew cmake ninja vite webpack esbuild rollup coverage valgrind gdb strace perf hyperfine knip
  depcheck madge publint attw`.split(/\s+/),
);

/** Linters and formatters: they change files only with options, or words, that say so. */
export const CHECKERS: ReadonlySet<string> = new Set(
  `eslint oxlint stylelint prettier biome ruff mypy pyright pyre flake8 pylint bandit golangci-lint
  staticcheck shellcheck hadolint yamllint actionlint markdownlint markdownlint-cli2 vale rubocop gofmt goimports gofumpt clang-format
  clang-tidy swiftlint ktlint detekt sqlfluff djlint codespell yq semgrep terraform tofu dprint deno
  swift mix zig mdformat shfmt yapf autopep8 go cargo dotnet buf`.split(/\s+/),
);

/** Those of them whose first word says what to do. */
export const WITH_VERB: ReadonlySet<string> = new Set(
  'ruff biome go cargo dprint deno swift mix zig terraform tofu sqlfluff buf dotnet semgrep'.split(
    ' ',
  ),
);

/** Options with which such programs rewrite what they are given. */
export const REWRITES =
  /^(?:--?(?:fix|auto-?(?:fix|correct)|write|overwrite|in-?place|apply|reformat|update|save|replace|snapshot-update)(?:$|[-=])|-(?:[ls]?w|[iaAu])$)/;

/** Programs, and words after a program, that rewrite what they are given without being told to. */
export const FORMATTERS: ReadonlySet<string> = new Set(
  `black isort rustfmt autoflake pyupgrade docformatter swiftformat php-cs-fixer scalafmt ormolu
  pre-commit lint-staged standardrb gci jscodeshift codemod ast-grep comby 2to3`.split(/\s+/),
);
export const REWRITING_WORDS: ReadonlySet<string> = new Set(['fmt', 'format', 'fix', 'generate']);

/** Programs whose words name tasks, not files. */
export const TASK_RUNNERS: ReadonlySet<string> = new Set(
  'make gmake just task rake mise npm pnpm yarn bun turbo nx lerna ant bazel'.split(' '),
);
/** Tasks that by their name rewrite files. */
export const REWRITING_TASK =
  /(?:^|[:_.-])(?:fix|fmt|format|prettier|write|generate|gen|codegen|tidy)(?:$|[:_.-])/;

/** Tasks that by their name only look. A task that is named for both, such as `lint:fix`, rewrites. */
export const CHECKING_TASK =
  /^(?!.*(?:fix|fmt|format|write|gen))(?:.*[:_.-])?(?:test|lint|check|type-?check|types|tsc|build|compile|start|dev|serve|bench|cover|coverage|e2e|unit|ci|audit|outdated|ls|view|info)(?:$|[:_.-])/;

/** Words after a package manager with which it changes the files that name the packages. */
export const PACKAGE_WORDS: ReadonlySet<string> = new Set(
  'add install i uninstall remove rm update up upgrade get mod dedupe audit pkg version init link lock sync require'.split(
    ' ',
  ),
);
export const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(
  'npm pnpm yarn bun cargo go poetry uv pipenv pdm bundle composer gem mix'.split(' '),
);
export const PACKAGE_FILES: readonly string[] =
  `package.json package-lock.json pnpm-lock.yaml yarn.lock bun.lock Cargo.toml Cargo.lock
  go.mod go.sum go.work pyproject.toml poetry.lock uv.lock Pipfile Pipfile.lock pdm.lock
  Gemfile Gemfile.lock composer.json composer.lock mix.exs mix.lock`.split(/\s+/);

/** What `git` does to no file of the work tree. */
export const GIT_READS: ReadonlySet<string> = new Set(
  `status log diff show branch rev-parse rev-list ls-files ls-tree ls-remote remote fetch add commit tag
  blame grep config describe reflog shortlog push cat-file merge-base name-rev for-each-ref show-ref
  symbolic-ref worktree init clone whatchanged diff-tree diff-index count-objects fsck gc hash-object
  check-ignore check-attr update-index var version help notes bundle archive format-patch range-diff
  cherry interpret-trailers`.split(/\s+/),
);

export const INTERPRETERS =
  /^(?:python[\d.]*|node|ruby|perl|php|deno|bun|tsx|ts-node|bash|sh|zsh)$/;
