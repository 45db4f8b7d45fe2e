import { describe, expect, test } from 'vitest';
import { runKindOf } from '../../../src/domain/ledger/command-line.ts';
import type { Run } from '../../../src/domain/ledger/ledger.ts';

describe('what a script does by its name', () => {
  test.each<[Run['kind'] | null, string]>([
    ['test', './run_tests.sh 2>&1 | tail -40'],
    ['test', 'UNIT_THRESHOLD=99 ./scripts/run-e2e-tests.sh'],
    ['test', 'bash scripts/test.sh --fast'],
    ['test', 'bin/rails test test/models'],
    ['test', './build/tests/unit_tests'],
    ['test', './build/test_parser --gtest_filter=A.*'],
    ['test', 'ruby -Itest test/order_test.rb'],
    ['test', 'python tests/run_tests.py'],
    ['test', 'prove -l t'],
    ['check', 'sh ci/lint.sh'],
    ['build', './build.sh release'],
    ['build', 'pwsh -File build-all.ps1'],
    // Windows names its programs with an ending.
    ['build', 'npm.cmd run build'],
    ['test', './gradlew.bat test'],
    ['test', 'mvnw.cmd -q test'],
    ['check', 'terraform validate'],
    ['build', 'terraform -chdir=infra plan -out=p'],
    ['build', 'cdk deploy Api'],
    [null, '/usr/bin/test -f a'],
    [null, './contest.sh'],
    [null, './scripts/latest.sh'],
    [null, 'bash tests/fixtures/setup.sh'],
    [null, 'cat run_tests.sh'],
    [null, 'chmod +x ./run_tests.sh'],
    [null, 'python test_fix.py'],
    [null, 'terraform output'],
  ])('%s: %s', (kind, script) => expect(runKindOf(script)).toBe(kind));
});
