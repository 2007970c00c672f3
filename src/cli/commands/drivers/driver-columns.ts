import type { Driver } from '../../../contract/drivers.ts';
import type { Column } from '../../kit/result/result.ts';

/** Columns of drivers. */
export const driverColumns: readonly Column<Driver>[] = [
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'name', header: 'Name', kind: 'text', value: ({ name }) => name },
  { field: 'on_duty', header: 'On duty', kind: 'text', value: ({ on_duty }) => (on_duty ? 'yes' : 'no') },
  { field: 'stops_left', header: 'Stops left', kind: 'count', value: ({ stops_left }) => stops_left },
  {
    ...{ field: 'location.recorded_at', header: 'Position as of', kind: 'time', spare: 2 },
    value: ({ location }) => location?.recorded_at,
  },
  {
    ...{ field: 'location', header: 'Position', kind: 'text', spare: 1, unlessEmpty: true },
    value: ({ location }) => location && `${location.lat},${location.lng}`,
  },
  { field: 'vehicle_type', header: 'Vehicle', kind: 'text', wide: true, value: (row) => row.vehicle_type },
  { field: 'phone_number', header: 'Phone', kind: 'phone', wide: true, value: (row) => row.phone_number },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true, value: ({ test_mode }) => test_mode },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true, value: (row) => row.created_at },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true, value: (row) => row.updated_at },
];
