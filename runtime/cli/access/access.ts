import type { Family } from '../command.ts'
import { bootstrap } from './bootstrap.ts'
import {
  cancel,
  change,
  complete,
  fail,
  postReview,
  propose,
  rollBack,
  schedule,
  start,
  templates,
} from './changes.ts'
import { check } from './check.ts'
import { demo } from './demo.ts'
import { closeNeed, resume, revoke, suspend, token } from './grants.ts'
import { listCommand } from './lists.ts'
import { reports } from './reports.ts'
import { request, submit } from './requests.ts'
import { reset } from './reset.ts'
import { review } from './review.ts'
import { show, why } from './show.ts'
import { signIn, signOut, whoami } from './sign-in.ts'
import { webhooks } from './webhooks.ts'

export const access: Family = {
  about: 'Scoped access for clients: who may see which data, why, and until when.',
  commands: {
    demo,
    bootstrap,
    'sign-in': signIn,
    'sign-out': signOut,
    whoami,
    clients: listCommand('clients'),
    scopes: listCommand('scopes'),
    needs: listCommand('needs'),
    requests: listCommand('requests'),
    grants: listCommand('grants'),
    changes: listCommand('changes'),
    members: listCommand('members'),
    staff: listCommand('staff'),
    reset,
    show,
    request,
    submit,
    review,
    token,
    revoke,
    suspend,
    resume,
    'close-need': closeNeed,
    change,
    templates,
    propose,
    schedule,
    start,
    complete,
    fail,
    'roll-back': rollBack,
    cancel,
    'post-review': postReview,
    reports,
    webhooks,
    why,
    check,
  },
}
