import type { StatementRefusal } from '../read-statement.ts'

/** The reasons for which a file is refused: those of the readers, and others. */
export type ImportRefusal =
  | StatementRefusal
  /** The lines span more than `DAYS_MAX` days. */
  | 'period_too_long'
  /** A line is later than tomorrow. */
  | 'in_future'
  /** The amounts of a class sum to more than a number holds exactly. */
  | 'amounts_too_large'
  /** Its lines could not be written, however often the service tried. */
  | 'not_written'
  /** Typed lines that no second person approved. */
  | 'not_approved'
