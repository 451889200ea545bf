import type { CliCommandGroup } from '../command.ts'
import { bootstrapCommand } from './people/bootstrap.ts'
import {
  cancelCommand,
  changeCommand,
  completeCommand,
  failCommand,
  postReviewCommand,
  proposeCommand,
  rollBackCommand,
  scheduleCommand,
  startCommand,
  templatesCommand,
} from './commands/changes.ts'
import { checkCommand } from './commands/check.ts'
import { demoCommand } from './demo/demo.ts'
import {
  closeNeedCommand,
  resumeCommand,
  revokeCommand,
  suspendCommand,
  tokenCommand,
} from './commands/grants.ts'
import { listCommand } from './commands/lists.ts'
import { reportsCommand } from './commands/reports.ts'
import { requestCommand, submitCommand } from './commands/requests.ts'
import { confirmCommand } from './people/confirm.ts'
import { resetCommand } from './people/reset.ts'
import { reviewCommand } from './commands/review.ts'
import { showCommand, whyCommand } from './commands/show.ts'
import { signInCommand, signOutCommand, whoamiCommand } from './people/sign-in.ts'
import { accessWebhooksCommand } from './commands/webhooks.ts'

export const accessCommandGroup: CliCommandGroup = {
  about: 'Scoped access for clients: who may see which data, why, and until when.',
  commands: {
    demo: demoCommand,
    bootstrap: bootstrapCommand,
    'sign-in': signInCommand,
    'sign-out': signOutCommand,
    whoami: whoamiCommand,
    clients: listCommand('clients'),
    scopes: listCommand('scopes'),
    needs: listCommand('needs'),
    requests: listCommand('requests'),
    grants: listCommand('grants'),
    changes: listCommand('changes'),
    members: listCommand('members'),
    staff: listCommand('staff'),
    reset: resetCommand,
    confirm: confirmCommand,
    show: showCommand,
    request: requestCommand,
    submit: submitCommand,
    review: reviewCommand,
    token: tokenCommand,
    revoke: revokeCommand,
    suspend: suspendCommand,
    resume: resumeCommand,
    'close-need': closeNeedCommand,
    change: changeCommand,
    templates: templatesCommand,
    propose: proposeCommand,
    schedule: scheduleCommand,
    start: startCommand,
    complete: completeCommand,
    fail: failCommand,
    'roll-back': rollBackCommand,
    cancel: cancelCommand,
    'post-review': postReviewCommand,
    reports: reportsCommand,
    webhooks: accessWebhooksCommand,
    why: whyCommand,
    check: checkCommand,
  },
}
