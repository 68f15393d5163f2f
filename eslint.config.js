import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '**/*.generated.*'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
    },
  },
  {
    files: [
      'engine/cli/**',
      'tests/lab/**',
      'tests/bench/**',
      'tests/trials/**',
      'tests/tools/**',
      'tests/{interrupted,mutate,effects,damages,kills}/main.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    // Whoever adds an event decides what each view and the published stream say of it.
    files: ['engine/journal/**', 'engine/report/**'],
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false }],
    },
  },
  {
    // A module decides from facts: what it would read elsewhere could differ between the plan and the run.
    files: ['engine/modules/**', 'engine/terms/**', 'engine/platforms/*/modules/**'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'fetch', 'performance', 'setTimeout', 'setInterval', 'WebSocket'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'the time is `at.timeMs`' },
        { object: 'Math', property: 'random' },
        { object: 'crypto', property: 'randomUUID' },
      ],
      'no-restricted-syntax': ['error', { selector: 'ImportExpression', message: 'modules import statically' }],
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        module: 'writable',
        setTimeout: 'readonly',
        performance: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
);
