// ESLint and the type checker over the scripts of the HTML report, which share one scope and are shipped as one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import { ESLint } from 'eslint';
import globals from 'globals';

const here = dirname(fileURLToPath(import.meta.url));
const page = join(here, '..', '..', 'specint', 'outputs', 'html', 'page');
const order = readFileSync(join(page, '..', 'document.py'), 'utf8').match(/SCRIPTS = \(([^)]*)\)/)[1].match(/[\w]+\.js/g);

// ESLint sees them joined, as a browser does; a message names the file that the line is from.
const lines = order.flatMap((name) => readFileSync(join(page, name), 'utf8').split('\n').map((text, index) => [name, index + 1, text]));
const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: [js.configs.recommended, {
    languageOptions: { ecmaVersion: 2023, sourceType: 'script', globals: globals.browser },
    rules: { eqeqeq: 'error', 'no-var': 'error', 'prefer-const': 'error', 'no-shadow': 'error', 'no-eval': 'error' },
  }],
});
const [result] = await eslint.lintText(lines.map(([, , text]) => text).join('\n'), { filePath: 'page.js' });
for (const { line, message, ruleId } of result.messages) {
  const [name, at] = lines[line - 1];
  console.log(`specint/outputs/html/page/${name}:${at}: ${message} [${ruleId}]`);
}

// A script that isn't a module shares its names with the others, which is how the type checker takes them.
let failed = result.messages.length > 0;
const scratch = mkdtempSync(join(here, '.types-'));
try {
  const options = {
    allowJs: true, checkJs: true, noEmit: true, strict: false, noUnusedLocals: false, target: 'es2023', lib: ['dom', 'dom.iterable', 'es2023'], types: [],
  };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: order.map((name) => join(page, name)) }));
  execFileSync(join(here, 'node_modules', '.bin', 'tsc'), ['-p', scratch], { stdio: 'inherit' });
} catch {
  failed = true;
} finally {
  rmSync(scratch, { recursive: true });
}
process.exit(failed ? 1 : 0);
