export { model as default } from './jest.fast.js';
