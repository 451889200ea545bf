/** The forms that act on a task: its question, and pause, resume and cancel. */
import { isTaskOver, type TaskQuestion, type TaskView } from '../../../../../proto/task/task.ts'
import { LongField } from '../../../../html/fields.tsx'
import { hiddenField, PostForm, SubmitButton } from '../../../../html/form.tsx'
import { NoticeBox } from '../../../../html/parts.tsx'
import { QuestionButton } from '../../../html/question.tsx'
import type { ConsoleVisit } from '../../../visit.ts'
import { taskReasonWord } from '../task-words.ts'

interface Controlled {
  readonly view: TaskView
  readonly visit: ConsoleVisit
}

/** Shown only for keys that may act on tasks. */
export const TaskControls = ({ view, visit }: Controlled) => {
  const { id, state } = view
  const isOver = isTaskOver(state) || state === 'leaving'
  const to = (verb: string) => visit.at(`/tasks/${id}/${verb}`)
  return (
    <div id="controls" class="buttons">
      {isOver || !visit.has('tasks') ? (
        ''
      ) : (
        <>
          {state === 'paused' ? (
            <PostForm visit={visit} action={to('resume')}>
              <SubmitButton>Resume</SubmitButton>
            </PostForm>
          ) : (
            ''
          )}
          {state === 'paused' || state === 'asking' ? (
            ''
          ) : (
            <PostForm visit={visit} action={to('pause')}>
              <SubmitButton kind="plain">Pause</SubmitButton>
            </PostForm>
          )}
          <CancelButton view={view} visit={visit} />
        </>
      )}
    </div>
  )
}

const CancelButton = ({ view: { id, ownsSession }, visit }: Controlled) => (
  <QuestionButton
    id="cancel"
    visit={visit}
    action={visit.at(`/tasks/${id}/cancel`)}
    label="Cancel task"
    does="Cancel task"
    keeps="Keep running"
    question={
      <>
        <b>Cancel this task?</b> It stops immediately and cannot be resumed.{' '}
        {ownsSession ? 'The session created for it ends.' : 'Its session keeps running.'}
      </>
    }
  />
)

/** The question of the task, and the form to answer it. Empty while there is no question. */
export const TaskQuestionBox = ({ view, visit }: Controlled) => {
  const { id, state, question } = view
  return (
    <div id="asked">
      {state !== 'asking' || question === undefined ? (
        ''
      ) : (
        <NoticeBox tone="wait" title={titleOf(view, question)}>
          <p class="said">{question.text}</p>
          {visit.has('tasks') ? (
            <PostForm visit={visit} action={visit.at(`/tasks/${id}/answer`)}>
              {hiddenField('question_id', question.id)}
              <AnswerFields question={question} />
            </PostForm>
          ) : (
            <p class="quiet">To answer, you need a key with the scope tasks.</p>
          )}
        </NoticeBox>
      )}
    </div>
  )
}

const titleOf = (view: TaskView, { kind }: TaskQuestion) =>
  kind === 'question' ? 'The task asks' : `${taskReasonWord(view)}. The task is waiting.`

const AnswerFields = ({ question: { kind } }: { question: TaskQuestion }) =>
  kind === 'question' ? (
    <>
      <LongField name="text" label="Your answer" rows={3} />
      <SubmitButton>Answer</SubmitButton>
    </>
  ) : (
    <>
      <LongField name="text" label="Message to the model (optional)" rows={2} isOptional />
      <div class="buttons">
        <SubmitButton name="approve" value="yes">
          Allow
        </SubmitButton>
        <SubmitButton kind="danger" name="approve" value="no">
          Refuse
        </SubmitButton>
      </div>
    </>
  )
