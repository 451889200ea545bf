/** Form fields, each with a label, a hint and its error. */
import { isAbout, sentenceFor } from './forms/problem.ts'
import type { FormProblem } from './forms/problem.ts'
import type { Markup } from './markup.ts'

export interface FieldProps {
  readonly name: string
  /** Needed if several fields have the same name. */
  readonly id?: string
  readonly label: string
  readonly hint?: Markup
  readonly problem?: FormProblem | undefined
  /** The field's name in REST, if it differs from the form's. */
  readonly about?: string
}

const idOf = ({ id, name }: Pick<FieldProps, 'id' | 'name'>) =>
  `f-${(id ?? name).replaceAll(/[^a-z0-9]+/gi, '-')}`

function describedBy(of: FieldProps): string | undefined {
  const parts = [
    ...(of.hint === undefined ? [] : [`${idOf(of)}-hint`]),
    ...(isWrong(of) ? [`${idOf(of)}-error`] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(' ')
}

const isWrong = ({ name, about = name, problem }: FieldProps) => isAbout(problem, about)

const Hint = ({ of }: { of: FieldProps }) =>
  of.hint === undefined ? (
    <></>
  ) : (
    <p class="hint" id={`${idOf(of)}-hint`}>
      {of.hint}
    </p>
  )

const Wrong = ({ of }: { of: FieldProps }) =>
  isWrong(of) && of.problem ? (
    <p class="wrong" id={`${idOf(of)}-error`}>
      <span class="hidden">Error: </span>
      {sentenceFor(of.problem, of.label, of.about ?? of.name)}
    </p>
  ) : (
    <></>
  )

const Frame = ({ of, children }: { of: FieldProps; children?: Markup }) => (
  <div class={isWrong(of) ? 'field is-wrong' : 'field'}>
    <label for={idOf(of)}>{of.label}</label>
    <Hint of={of} />
    <Wrong of={of} />
    {children}
  </div>
)

/** Attributes of all controls. */
const controlAttributes = (of: FieldProps) => ({
  id: idOf(of),
  name: of.name,
  'aria-describedby': describedBy(of),
  'aria-invalid': isWrong(of) ? 'true' : undefined,
})

export const TextField = (
  of: FieldProps & {
    value?: string | undefined
    type?: 'text' | 'email' | 'password' | 'date' | 'datetime-local' | 'search' | 'url' | 'number'
    autocomplete?: string
    inputmode?: 'numeric'
    width?: 'short' | 'middle'
    isOptional?: boolean
    min?: string
    max?: string
    /** The id of a `datalist` with suggestions. */
    list?: string
  },
) => (
  <Frame of={of}>
    <input
      {...controlAttributes(of)}
      type={of.type ?? 'text'}
      value={of.value}
      class={of.width}
      autocomplete={of.autocomplete}
      inputmode={of.inputmode}
      required={of.isOptional ? undefined : true}
      min={of.min}
      max={of.max}
      list={of.list}
    />
  </Frame>
)

export const LongField = (
  of: FieldProps & { value?: string | undefined; rows?: number; isOptional?: boolean },
) => (
  <Frame of={of}>
    <textarea
      {...controlAttributes(of)}
      rows={of.rows ?? 4}
      required={of.isOptional ? undefined : true}
    >
      {of.value ?? ''}
    </textarea>
  </Frame>
)

export interface FieldChoice {
  readonly value: string
  readonly label: string
  readonly hint?: Markup
  /** Disables the choice; `hint` says why. */
  readonly isClosed?: boolean
}

export const SelectField = (
  of: FieldProps & { value?: string | undefined; choices: readonly FieldChoice[] },
) => (
  <Frame of={of}>
    <select {...controlAttributes(of)}>
      {of.choices.map(({ value, label }) => (
        <option value={value} selected={value === of.value}>
          {label}
        </option>
      ))}
    </select>
  </Frame>
)

/** Radio buttons, or checkboxes if several may be chosen. */
export const ChoiceField = (
  of: FieldProps & {
    kind: 'radio' | 'checkbox'
    choices: readonly FieldChoice[]
    chosen: readonly string[]
    isInline?: boolean
  },
) => (
  <fieldset
    class={isWrong(of) ? 'field is-wrong' : 'field'}
    id={idOf(of)}
    aria-describedby={describedBy(of)}
  >
    <legend>{of.label}</legend>
    <Hint of={of} />
    <Wrong of={of} />
    <div class={of.isInline ? 'choices inline' : 'choices'}>
      {of.choices.map((choice, i) => (
        <Option of={of} choice={choice} id={`${idOf(of)}-${i}`} />
      ))}
    </div>
  </fieldset>
)

const Option = ({
  of,
  choice: { value, label, hint, isClosed },
  id,
}: {
  of: FieldProps & { kind: 'radio' | 'checkbox'; chosen: readonly string[] }
  choice: FieldChoice
  id: string
}) => (
  <div class="choice">
    <input
      type={of.kind}
      id={id}
      name={of.name}
      value={value}
      checked={of.chosen.includes(value)}
      disabled={isClosed}
      aria-describedby={hint === undefined ? undefined : `${id}-hint`}
    />
    <label for={id}>{label}</label>
    {hint === undefined ? (
      ''
    ) : (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
  </div>
)

/** The link to a field in an error summary. */
export const fieldHref = (of: Pick<FieldProps, 'id' | 'name'>): string => `#${idOf(of)}`

/** A hidden field that tells password managers which account the password is for. */
export const Username = ({ of: { email } }: { of: { readonly email: string } }) => (
  <input type="text" name="username" value={email} autocomplete="username" readonly hidden />
)
