import { Type } from 'typebox';
import type { Condition } from '../../condition.js';
import type { About } from '../shared.js';

/** A condition as in playbooks. */
export const condition = (about: About) =>
  Type.Unsafe<Condition>({ ...about, $ref: 'playbook.schema.json#/$defs/condition' });
